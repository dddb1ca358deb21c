/* RC5 with words of 32 bits, 12 rounds and a key of 8 bytes. */
module RC5M {
  provides interface BlockCipher;
}
implementation {
  enum { ROUNDS = 12, WORDS = 2 * (ROUNDS + 1), BLOCK = 8, KEY = 8 };
  static uint32_t rotated(uint32_t word, uint8_t left) {
    left %= 32;
    return left == 0 ? word : (word << left) | (word >> (32 - left));
  }
  static uint32_t load(uint8_t *bytes) {
    uint32_t word = 0;
    uint8_t n;

    for (n = 4; n > 0; n--)
      word = (word << 8) | bytes[n - 1];
    return word;
  }
  static void store(uint32_t word, uint8_t *bytes) {
    uint8_t n;

    for (n = 0; n < 4; n++) {
      bytes[n] = word;
      word >>= 8;
    }
  }
  static uint32_t *schedule(CipherContext *context) {
    return (uint32_t *)context->context;
  }
  command result_t BlockCipher.init(CipherContext *context, uint8_t blockSize, uint8_t keySize, uint8_t *key) {
    uint32_t *words = schedule(context), secret[KEY / 4], constant = 0xB7E15163, a = 0, b = 0;
    uint8_t n;

    if (blockSize != BLOCK || keySize != KEY)
      return FAIL;
    for (n = 0; n < KEY / 4; n++)
      secret[n] = load(key + 4 * n);
    for (n = 0; n < WORDS; n++) {
      words[n] = constant;
      constant += 0x9E3779B9;
    }
    for (n = 0; n < 3 * WORDS; n++) {
      a = words[n % WORDS] = rotated(words[n % WORDS] + a + b, 3);
      b = secret[n % (KEY / 4)] = rotated(secret[n % (KEY / 4)] + a + b, a + b);
    }
    return SUCCESS;
  }
  async command result_t BlockCipher.encrypt(CipherContext *context, uint8_t *plain, uint8_t *cipher) {
    uint32_t *words = schedule(context);
    uint32_t left = load(plain) + words[0], right = load(plain + 4) + words[1];
    uint8_t n;

    for (n = 2; n < WORDS; n += 2) {
      left = words[n] + rotated(left ^ right, right);
      right = words[n + 1] + rotated(right ^ left, left);
    }
    store(left, cipher);
    store(right, cipher + 4);
    return SUCCESS;
  }
  async command result_t BlockCipher.decrypt(CipherContext *context, uint8_t *cipher, uint8_t *plain) {
    uint32_t *words = schedule(context);
    uint32_t left = load(cipher), right = load(cipher + 4);
    uint8_t n;

    for (n = WORDS - 2; n > 0; n -= 2) {
      right = left ^ rotated(right - words[n + 1], 32 - left % 32);
      left = right ^ rotated(left - words[n], 32 - right % 32);
    }
    store(left - words[0], plain);
    store(right - words[1], plain + 4);
    return SUCCESS;
  }
}
