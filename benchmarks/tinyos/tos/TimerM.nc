module TimerM {
  provides interface Timer[uint8_t id];
  provides interface StdControl;
  uses interface Clock;
  uses interface StdControl as ClockControl;
}
implementation {
  enum { NUM_TIMERS = uniqueCount("Timer"), TIMER_REPEAT = 0, TIMER_ONE_SHOT = 1, maxTimerInterval = 230 };
  uint32_t mState;
  uint8_t setIntervalFlag;
  uint8_t mScale, mInterval;
  int8_t queue_head;
  int8_t queue_tail;
  uint8_t queue_size;
  uint8_t queue[NUM_TIMERS];
  volatile uint16_t interval_outstanding;
  struct timer_s {
    uint8_t type;
    int32_t ticks;
    int32_t ticksLeft;
  } mTimerList[NUM_TIMERS];

  command result_t StdControl.init() {
    mState = 0;
    setIntervalFlag = 0;
    queue_head = queue_tail = -1;
    queue_size = 0;
    mScale = 3;
    mInterval = maxTimerInterval;
    interval_outstanding = 0;
    return call Clock.setRate(mInterval, mScale);
  }
  command result_t StdControl.start() {
    return SUCCESS;
  }
  command result_t StdControl.stop() {
    mState = 0;
    mInterval = maxTimerInterval;
    setIntervalFlag = 0;
    return SUCCESS;
  }
  command result_t Timer.start[uint8_t id](char type, uint32_t interval) {
    uint8_t diff;
    if (id >= NUM_TIMERS)
      return FAIL;
    if (type > TIMER_ONE_SHOT)
      return FAIL;
    if (type == TIMER_REPEAT && interval <= 2)
      return FAIL;
    mTimerList[id].ticks = interval;
    mTimerList[id].type = type;
    atomic {
      diff = call Clock.readCounter();
      interval += diff;
      mTimerList[id].ticksLeft = interval;
      mState |= 0x1L << id;
      if (interval < mInterval) {
        mInterval = interval;
        call Clock.setInterval(mInterval);
        setIntervalFlag = 0;
      }
    }
    return SUCCESS;
  }
  static void adjustInterval() {
    uint8_t i, val = maxTimerInterval;
    if (mState) {
      for (i = 0; i < NUM_TIMERS; i++) {
        if ((mState & (0x1L << i)) && (mTimerList[i].ticksLeft < val))
          val = mTimerList[i].ticksLeft;
      }
      atomic {
        i = call Clock.readCounter() + 3;
        if (val < i)
          val = i;
        mInterval = val;
        call Clock.setInterval(mInterval);
        setIntervalFlag = 0;
      }
    } else {
      atomic {
        mInterval = maxTimerInterval;
        call Clock.setInterval(mInterval);
        setIntervalFlag = 0;
      }
    }
  }
  command result_t Timer.stop[uint8_t id]() {
    if (id >= NUM_TIMERS)
      return FAIL;
    if (mState & (0x1L << id)) {
      atomic mState &= ~(0x1L << id);
      if (!mState)
        setIntervalFlag = 1;
      return SUCCESS;
    }
    return FAIL;
  }
  default event result_t Timer.fired[uint8_t id]() {
    return SUCCESS;
  }
  void enqueue(uint8_t value) {
    if (queue_tail == NUM_TIMERS - 1)
      queue_tail = -1;
    queue_tail++;
    queue_size++;
    queue[(uint8_t)queue_tail] = value;
  }
  uint8_t dequeue() {
    if (queue_size == 0)
      return NUM_TIMERS;
    if (queue_head == NUM_TIMERS - 1)
      queue_head = -1;
    queue_head++;
    queue_size--;
    return queue[(uint8_t)queue_head];
  }
  task void signalOneTimer() {
    uint8_t itimer = dequeue();
    if (itimer < NUM_TIMERS)
      signal Timer.fired[itimer]();
  }
  task void HandleFire() {
    uint8_t i;
    uint16_t int_out;
    setIntervalFlag = 1;
    atomic {
      int_out = interval_outstanding;
      interval_outstanding = 0;
    }
    if (mState) {
      for (i = 0; i < NUM_TIMERS; i++) {
        if (mState & (0x1L << i)) {
          mTimerList[i].ticksLeft -= int_out;
          if (mTimerList[i].ticksLeft <= 2) {
            if (mTimerList[i].type == TIMER_REPEAT)
              mTimerList[i].ticksLeft += mTimerList[i].ticks;
            else
              mState &= ~(0x1L << i);
            enqueue(i);
            post signalOneTimer();
          }
        }
      }
    }
    atomic int_out = interval_outstanding;
    if (int_out == 0)
      adjustInterval();
  }
  async event result_t Clock.fire() {
    atomic {
      if (interval_outstanding == 0)
        post HandleFire();
      interval_outstanding += call Clock.getInterval() + 1;
    }
    return SUCCESS;
  }
}
