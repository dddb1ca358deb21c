configuration MicaHighSpeedRadioC {
  provides {
    interface StdControl as Control;
    interface BareSendMsg as Send;
    interface ReceiveMsg as Receive;
  }
}
implementation {
  components MicaHighSpeedRadioM, RandomLFSR, SecDedM, SpiByteFifoM, ChannelMonM, RadioTimingM;
  Control = MicaHighSpeedRadioM;
  Send = MicaHighSpeedRadioM;
  Receive = MicaHighSpeedRadioM.Receive;
  MicaHighSpeedRadioM.Random -> RandomLFSR;
  MicaHighSpeedRadioM.Code -> SecDedM;
  MicaHighSpeedRadioM.SpiByteFifo -> SpiByteFifoM;
  MicaHighSpeedRadioM.ChannelMon -> ChannelMonM;
  MicaHighSpeedRadioM.RadioTiming -> RadioTimingM;
  ChannelMonM.Random -> RandomLFSR;
}
