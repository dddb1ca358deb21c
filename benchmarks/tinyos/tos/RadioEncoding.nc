interface RadioEncoding {
  async command result_t encode_flush();
  async command result_t encode(char data);
  async command result_t decode(char data);
  async event result_t decodeDone(char data, char error);
  async event result_t encodeDone(char data);
}
