interface Random {
  async command result_t init();
  async command uint16_t rand();
}
