module RC5M {
  provides interface BlockCipher;
}
implementation {
  enum { RC5_ROUNDS = 12 };
  typedef struct RC5Context {
    uint32_t skey[2 * (RC5_ROUNDS + 1)];
  } RC5Context;
  static uint32_t rotl(uint32_t v, uint8_t n) {
    n &= 31;
    return n ? (v << n) | (v >> (32 - n)) : v;
  }
  static uint32_t rotr(uint32_t v, uint8_t n) {
    n &= 31;
    return n ? (v >> n) | (v << (32 - n)) : v;
  }
  static void c2l(uint8_t *c, uint32_t *l) {
    *l = ((uint32_t)c[0]) | ((uint32_t)c[1] << 8) | ((uint32_t)c[2] << 16) | ((uint32_t)c[3] << 24);
  }
  static void l2c(uint32_t l, uint8_t *c) {
    c[0] = l & 0xff;
    c[1] = (l >> 8) & 0xff;
    c[2] = (l >> 16) & 0xff;
    c[3] = (l >> 24) & 0xff;
  }
  command result_t BlockCipher.init(CipherContext *context, uint8_t blockSize, uint8_t keySize, uint8_t *key) {
    uint32_t *S = ((RC5Context *)context->context)->skey;
    uint32_t L[2], A, B;
    int8_t i, j, k;

    if (blockSize != 8 || keySize != 8)
      return FAIL;
    memset(L, 0, sizeof(L));
    c2l(key, &L[0]);
    c2l(key + 4, &L[1]);
    S[0] = 0xB7E15163;
    for (i = 1; i < 2 * (RC5_ROUNDS + 1); i++)
      S[i] = S[i - 1] + 0x9E3779B9;
    A = B = 0;
    i = j = 0;
    for (k = 0; k < 3 * 2 * (RC5_ROUNDS + 1); k++) {
      A = S[i] = rotl(S[i] + (A + B), 3);
      B = L[j] = rotl(L[j] + (A + B), (A + B));
      if (++i >= 2 * (RC5_ROUNDS + 1)) i = 0;
      j ^= 1;
    }
    return SUCCESS;
  }
  async command result_t BlockCipher.encrypt(CipherContext *context, uint8_t *plain, uint8_t *cipher) {
    uint32_t *s = ((RC5Context *)context->context)->skey;
    uint32_t l, r;
    uint8_t i;

    c2l(plain, &l);
    c2l(plain + 4, &r);
    l += s[0];
    r += s[1];
    for (i = 1; i <= RC5_ROUNDS; i++) {
      l = rotl(l ^ r, r) + s[2 * i];
      r = rotl(r ^ l, l) + s[2 * i + 1];
    }
    l2c(l, cipher);
    l2c(r, cipher + 4);
    return SUCCESS;
  }
  async command result_t BlockCipher.decrypt(CipherContext *context, uint8_t *cipher, uint8_t *plain) {
    uint32_t *s = ((RC5Context *)context->context)->skey;
    uint32_t l, r;
    uint8_t i;

    c2l(cipher, &l);
    c2l(cipher + 4, &r);
    for (i = RC5_ROUNDS; i > 0; i--) {
      r = rotr(r - s[2 * i + 1], l) ^ l;
      l = rotr(l - s[2 * i], r) ^ r;
    }
    r -= s[1];
    l -= s[0];
    l2c(l, plain);
    l2c(r, plain + 4);
    return SUCCESS;
  }
}
