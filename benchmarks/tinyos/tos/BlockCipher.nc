includes crypto;
interface BlockCipher {
  command result_t init(CipherContext *context, uint8_t blockSize, uint8_t keySize, uint8_t *key);
  async command result_t encrypt(CipherContext *context, uint8_t *plain, uint8_t *cipher);
  async command result_t decrypt(CipherContext *context, uint8_t *cipher, uint8_t *plain);
}
