#ifndef CRC_H
#define CRC_H
uint16_t crcByte(uint16_t crc, uint8_t b) {
  uint8_t i;

  crc = crc ^ b << 8;
  i = 8;
  do
    if (crc & 0x8000)
      crc = crc << 1 ^ 0x1021;
    else
      crc = crc << 1;
  while (--i);
  return crc;
}
#endif
