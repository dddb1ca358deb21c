includes crypto;
interface BlockCipherMode {
  command result_t init(CipherModeContext *context, uint8_t keySize, uint8_t *key);
  async command result_t encrypt(CipherModeContext *context, uint8_t *plain, uint8_t *cipher, uint16_t numBytes, uint8_t *IV);
  async command result_t decrypt(CipherModeContext *context, uint8_t *cipher, uint8_t *plain, uint16_t numBytes, uint8_t *IV);
}
