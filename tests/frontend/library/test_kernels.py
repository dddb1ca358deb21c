"""FreeRTOS, CMSIS-RTOS2 and Zephyr by our own headers: tasks, the scheduler's start, queues, semaphores, critical sections."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import circ
import frontend
from circ.cli import app
from circ.verdict import word
from frontend.program import FrontendError, Preemption

FREERTOS = """
#include "FreeRTOS.h"
#include "task.h"
#include "queue.h"
#include "semphr.h"
#include "event_groups.h"
#include "timers.h"
static int x;
static SemaphoreHandle_t s;
static QueueHandle_t q;
static EventGroupHandle_t g;
static TaskHandle_t second;
static void one(void *argument) {{ {one} }}
static void two(void *argument) {{ {two} }}
{more}
int main(void)
{{
    {setup}
    xTaskCreate(one, "one", 128, NULL, 1, NULL);
    xTaskCreate(two, "two", 128, NULL, 2, &second);
    {before}
    vTaskStartScheduler();
    for (;;) ;
}}
"""
MUTEX = "xSemaphoreTake(s, portMAX_DELAY); x++; xSemaphoreGive(s);"
TIMER = "static void tick(TimerHandle_t t) { x++; }"


def verdict(text: str, variable: str = "x", platform: str | None = None) -> str:
    program = frontend.loads(text, options=frontend.LoadOptions(platform=platform))
    [answer] = circ.check(program, [variable]).answers
    return word(answer.question, answer.verdict)


@pytest.mark.parametrize(("one", "two", "said", "more"), [
    pytest.param("x++;", "", "safe", {"before": "x = 1;"}, id="tasks wait for the scheduler"),
    pytest.param("x++;", "x = 2;", "race", {}, id="tasks run beside each other"),
    pytest.param(MUTEX, MUTEX, "safe", {"setup": "s = xSemaphoreCreateMutex();"}, id="mutex"),
    pytest.param(MUTEX, MUTEX.replace("portMAX_DELAY", "5"), "race", {"setup": "s = xSemaphoreCreateMutex();"}, id="gives up"),
    pytest.param(MUTEX, MUTEX, "race", {"setup": "s = xSemaphoreCreateCounting(2, 2);"}, id="two at once"),
    pytest.param("x++; xSemaphoreGive(s);", "xSemaphoreTake(s, portMAX_DELAY); x++;", "safe",
                 {"setup": "s = xSemaphoreCreateBinary();"}, id="handed over"),
    pytest.param("xSemaphoreGive(s); x++;", "xSemaphoreTake(s, portMAX_DELAY); x++;", "race",
                 {"setup": "s = xSemaphoreCreateBinary();"}, id="handed over too early"),
    pytest.param("taskENTER_CRITICAL(); x++; taskEXIT_CRITICAL();", "taskENTER_CRITICAL(); x--; taskEXIT_CRITICAL();", "safe", {},
                 id="critical sections"),
    pytest.param("taskENTER_CRITICAL(); x++; taskEXIT_CRITICAL();", "x--;", "race", {}, id="one critical section"),
    pytest.param("vTaskSuspendAll(); x++; xTaskResumeAll();", "vTaskSuspendAll(); x--; xTaskResumeAll();", "safe", {},
                 id="scheduler suspended"),
    pytest.param("int *p = &x; x = 1; xQueueSend(q, &p, portMAX_DELAY);", "int *p; xQueueReceive(q, &p, portMAX_DELAY); *p = 2;",
                 "safe", {"setup": "q = xQueueCreate(1, sizeof(int *));"}, id="a pointer through a queue"),
    pytest.param("int *p = &x; xQueueSend(q, &p, portMAX_DELAY); x = 1;", "int *p; xQueueReceive(q, &p, portMAX_DELAY); *p = 2;",
                 "race", {"setup": "q = xQueueCreate(1, sizeof(int *));"}, id="a pointer that is kept"),
    pytest.param("x++; xEventGroupSetBits(g, 1);", "xEventGroupWaitBits(g, 1, pdTRUE, pdTRUE, portMAX_DELAY); x++;", "safe",
                 {"setup": "g = xEventGroupCreate();"}, id="event bits"),
    pytest.param("x++;", "", "race", {"more": TIMER, "before": 'xTimerStart(xTimerCreate("t", 10, pdTRUE, NULL, tick), 0);'},
                 id="a timer's function runs in a task of its own"),
])
def test_calls_of_freertos(one: str, two: str, said: str, more: dict[str, str]) -> None:
    parts = {"setup": "", "before": "", "more": "", **more}
    assert verdict(FREERTOS.format(one=one, two=two, **parts)) == said


NOTIFIED = "ulTaskNotifyTake(pdTRUE, portMAX_DELAY); x++;"


def test_a_notification_wakes_the_task_that_it_is_for() -> None:
    text = FREERTOS.format(one="x++; xTaskNotifyGive(second);", two=NOTIFIED, setup="", before="", more="")
    assert verdict(text) != "race"
    assert verdict(text.replace("x++; xTaskNotifyGive(second);", "xTaskNotifyGive(second); x++;")) != "safe"


HANDLER = "void TIM2_IRQHandler(void) {{ {body} }}"


@pytest.mark.parametrize(("task", "body", "said"), [
    ("taskENTER_CRITICAL(); x++; taskEXIT_CRITICAL();", "x++;", "safe"),
    ("x++;", "x++;", "race"),
    ("x++;", "UBaseType_t m = taskENTER_CRITICAL_FROM_ISR(); x++; taskEXIT_CRITICAL_FROM_ISR(m);", "race"),
])
def test_nothing_comes_between_what_a_handler_does(task: str, body: str, said: str) -> None:
    text = FREERTOS.format(one=task, two="", setup="", before="", more=HANDLER.format(body=body))
    assert verdict(text, platform="cortex-m") == said


def test_handlers_that_interrupt_each_other_are_no_sections() -> None:
    both = HANDLER.format(body="x++;") + HANDLER.format(body="x++;").replace("TIM2", "TIM3")
    assert verdict(FREERTOS.format(one="", two="", setup="", before="", more=both), platform="cortex-m") == "race"
    text = FREERTOS.format(one="taskENTER_CRITICAL(); x = 0; taskEXIT_CRITICAL();", two="", setup="", before="", more=both)
    assert verdict(text, platform="cortex-m") not in ("safe", "race"), "for one of them it is protected, for the other not"


CMSIS = """
#include "cmsis_os2.h"
static int x;
static osMutexId_t m;
static void one(void *argument) {{ osMutexAcquire(m, osWaitForever); x++; osMutexRelease(m); }}
static void two(void *argument) {{ {two} }}
int main(void)
{{
    osKernelInitialize();
    m = osMutexNew(NULL);
    osThreadNew(one, NULL, NULL);
    osThreadNew(two, NULL, NULL);
    x = 7;
    osKernelStart();
}}
"""
ZEPHYR = """
#include <zephyr/kernel.h>
static int x;
K_MUTEX_DEFINE(m);
static void one(void *a, void *b, void *c) {{ k_mutex_lock(&m, K_FOREVER); x++; k_mutex_unlock(&m); }}
static void two(void *a, void *b, void *c) {{ {two} }}
K_THREAD_DEFINE(first, 512, one, NULL, NULL, NULL, 5, 0, 0);
K_THREAD_DEFINE(second, 512, two, NULL, NULL, NULL, 7, 0, 0);
"""


@pytest.mark.parametrize(("text", "two", "said"), [
    (CMSIS, "osMutexAcquire(m, osWaitForever); x++; osMutexRelease(m);", "safe"),
    (CMSIS, "osMutexAcquire(m, 10); x++; osMutexRelease(m);", "race"),
    (ZEPHYR, "k_mutex_lock(&m, K_FOREVER); x++; k_mutex_unlock(&m);", "safe"),
    (ZEPHYR, "unsigned key = irq_lock(); x++; irq_unlock(key);", "race"),
])
def test_other_kernels(text: str, two: str, said: str) -> None:
    found = verdict(text.format(two=two))
    assert found == said or (said == "race" and found == "possible race" and "osMutexAcquire(m, 10)" in two)


def test_headers_that_do_not_say_what_calls_do_are_refused() -> None:
    text = """
long xTaskCreate(void (*code)(void *), const char *name, unsigned depth, void *argument, unsigned long priority, void *handle);
int x;
void task(void *argument) { x++; }
int main(void) { xTaskCreate(task, "t", 128, 0, 1, 0); x = 1; }
"""
    with pytest.raises(FrontendError, match="'xTaskCreate' starts a task"):
        frontend.loads(text)


def test_several_processors_run_handlers_beside_tasks(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(FREERTOS.format(one="x++;", two="", setup="", before="", more=HANDLER.format(body="x++;")))
    for cores, mode in (("1", Preemption.NESTED), ("2", Preemption.FREE)):
        text = CliRunner().invoke(app, ["cfa", "--platform", "cortex-m", "--cores", cores, str(file)]).output
        assert f"{mode} preemption" in text


SECTION = "vTaskSuspendAll(); vTaskSuspendAll(); xTaskResumeAll(); xTaskResumeAll(); x++;"


@pytest.mark.parametrize(("one", "two", "more"), [
    pytest.param(SECTION, "x++;", {}, id="the scheduler's lock is counted"),
    pytest.param("xSemaphoreTake(s, portMAX_DELAY); xSemaphoreGive(s); x++;", "x++;",
                 {"setup": "s = xSemaphoreCreateRecursiveMutex();"}, id="a recursive mutex taken as a plain one"),
    pytest.param("vTaskSuspendAll(); x++; xTaskResumeAll();", SECTION, {}, id="behind the lock"),
])
def test_what_is_behind_a_section_is_not_safe(one: str, two: str, more: dict[str, str]) -> None:
    assert verdict(FREERTOS.format(one=one, two=two, **{"setup": "", "before": "", "more": "", **more})) != "safe"


@pytest.mark.parametrize(("one", "two", "more"), [
    pytest.param("x = 1; xTimerStart(t, portMAX_DELAY); xSemaphoreTake(s, portMAX_DELAY); x = 2;", "",
                 {"more": "static TimerHandle_t t; static void tick(TimerHandle_t t) { x++; xSemaphoreGive(s); }",
                  "setup": 's = xSemaphoreCreateBinary(); t = xTimerCreate("t", 10, pdFALSE, NULL, tick);'}, id="a timer that ends"),
    pytest.param("vTaskSuspend(second); x = 2; vTaskResume(second);", "taskENTER_CRITICAL(); x++; taskEXIT_CRITICAL();", {},
                 id="a task is suspended"),
    pytest.param("vTaskDelete(second); x = 2;", "taskENTER_CRITICAL(); x++; taskEXIT_CRITICAL();", {}, id="a task is deleted"),
    pytest.param("vTaskDelete(xTaskGetCurrentTaskHandle()); x = 2;", "x++;", {}, id="a task deletes itself by its handle"),
    pytest.param("taskDISABLE_INTERRUPTS(); x++; taskENABLE_INTERRUPTS();", "taskDISABLE_INTERRUPTS(); x++; taskENABLE_INTERRUPTS();",
                 {}, id="interrupts off"),
    pytest.param("if (uxQueueMessagesWaiting(q) > 0) x++;", "x++;", {"setup": "q = xQueueCreate(1, sizeof(int));"},
                 id="a number that the kernel knows"),
    pytest.param("uint32_t v; xTaskNotifyWait(0, 0, &v, portMAX_DELAY); x = 1;", "x = 2;", {}, id="a wait for bits"),
])
def test_what_kernels_do_and_is_not_followed_shows_no_race(one: str, two: str, more: dict[str, str]) -> None:
    assert verdict(FREERTOS.format(one=one, two=two, **{"setup": "", "before": "", "more": "", **more})) != "race"


def test_the_lock_of_cmsis_is_not_counted() -> None:
    locked = "osKernelLock(); osKernelLock(); osKernelUnlock(); x++;"
    text = CMSIS.replace("osMutexAcquire(m, osWaitForever); x++; osMutexRelease(m);", locked)
    assert verdict(text.format(two="osKernelLock(); x++; osKernelUnlock();")) != "safe"


def test_hooks_are_told() -> None:
    text = FREERTOS.format(one="x++;", two="", setup="", before="", more="void vApplicationIdleHook(void) { x++; }")
    assert any("does not call 'vApplicationIdleHook'" in str(a) for a in frontend.loads(text).assumptions)


@pytest.mark.parametrize(("body", "arguments", "said"), [
    ("int *i = b; (*i)++;", "NULL, &x, NULL", "race"),
    ("int *i = c; (*i)++;", "NULL, NULL, &x", "race"),
    ("if (c) x++;", "NULL, NULL, NULL", "safe"),
])
def test_threads_of_zephyr_get_all_their_arguments(body: str, arguments: str, said: str) -> None:
    found = verdict(f"""
#include <zephyr/kernel.h>
static int x;
static struct k_thread t;
static k_thread_stack_t stack[1];
static void one(void *a, void *b, void *c) {{ {body} }}
int main(void) {{ k_thread_create(&t, stack, 512, one, {arguments}, 1, 0, K_NO_WAIT); x++; }}
""")
    assert found in ((said,) if said == "safe" else ("race", "possible race"))


@pytest.mark.parametrize("enter", ["k_spin_lock(&l{0})", "taskENTER_CRITICAL(&m{0})"])
def test_locks_of_several_processors_are_several(tmp_path: Path, enter: str) -> None:
    zephyr = "k_spin" in enter
    header = "#include <zephyr/kernel.h>\nstatic struct k_spinlock l1, l2;" if zephyr else \
        '#include "FreeRTOS.h"\n#include "task.h"\nstatic portMUX_TYPE m1 = portMUX_INITIALIZER_UNLOCKED, m2 = portMUX_INITIALIZER_UNLOCKED;'
    leave = "k_spin_unlock(&l{0}, k)" if zephyr else "taskEXIT_CRITICAL(&m{0})"
    takes = "k_spinlock_key_t k = " if zephyr else ""
    for second, said in ((1, "safe"), (2, "race")):
        bodies = [f"{takes}{enter.format(n)}; x++; {leave.format(n)};" for n in (1, second)]
        start = ("K_THREAD_DEFINE(f, 512, one, NULL, NULL, NULL, 5, 0, 0);\nK_THREAD_DEFINE(g, 512, two, NULL, NULL, NULL, 5, 0, 0);"
                 if zephyr else 'int main(void) { xTaskCreate(one, "1", 9, 0, 1, 0); xTaskCreate(two, "2", 9, 0, 1, 0); vTaskStartScheduler(); }')
        more = ", void *b, void *c" if zephyr else ""
        file = tmp_path / "a.c"
        file.write_text(f"{header}\nstatic int x;\nstatic void one(void *a{more}) {{ {bodies[0]} }}\n"
                        f"static void two(void *a{more}) {{ {bodies[1]} }}\n{start}\n")
        result = CliRunner().invoke(app, ["check", "--cores", "2", "-x", "x", str(file)])
        assert f"{said}" in result.output.split("\n")[0], result.output
