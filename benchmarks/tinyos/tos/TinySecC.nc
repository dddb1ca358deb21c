configuration TinySecC {
  provides {
    interface StdControl;
    interface BareSendMsg as Send;
    interface ReceiveMsg as Receive;
  }
  uses {
    interface BareSendMsg as RadioSend;
    interface ReceiveMsg as RadioReceive;
  }
}
implementation {
  components TinySecM, RC5M, CBCModeM, CBCMAC, LedsM, RandomLFSR;
  StdControl = TinySecM.StdControl;
  Send = TinySecM.SecureSend;
  Receive = TinySecM.SecureReceive;
  RadioSend = TinySecM.RadioSend;
  RadioReceive = TinySecM.RadioReceive;
  TinySecM.BlockCipherMode -> CBCModeM;
  TinySecM.MAC -> CBCMAC;
  TinySecM.Leds -> LedsM;
  TinySecM.Random -> RandomLFSR;
  CBCModeM.BlockCipher -> RC5M;
  CBCMAC.BlockCipher -> RC5M;
}
