#ifndef CRYPTO_H
#define CRYPTO_H
typedef struct CipherContext {
  uint8_t context[104];
} CipherContext;
typedef struct CipherModeContext {
  CipherContext cc;
  uint8_t context[24];
} CipherModeContext;
typedef struct MACContext {
  CipherContext cc;
  uint8_t context[24];
} MACContext;
#endif
