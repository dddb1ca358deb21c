#ifndef CRC_H
#define CRC_H
/* The CRC-16 with the polynomial 0x1021, most significant bit first, after one more byte. */
uint16_t crcByte(uint16_t crc, uint8_t byte) {
  uint8_t mask;

  for (mask = 0x80; mask != 0; mask >>= 1) {
    bool out = (crc >> 15) != ((byte & mask) != 0);

    crc <<= 1;
    if (out)
      crc ^= 0x1021;
  }
  return crc;
}
#endif
