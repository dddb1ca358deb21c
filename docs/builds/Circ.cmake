# circ_check(TARGET [options of circ check...]): `cmake --build . --target circ-TARGET` checks the program TARGET for data races, and
# `ctest` runs the same as the test circ-TARGET. Needs a generator that writes compile_commands.json: Makefiles or Ninja.
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_program(CIRC_PROGRAM circ REQUIRED DOC "The race checker circ")

function(circ_check target)
  set(command ${CIRC_PROGRAM} check -p ${CMAKE_BINARY_DIR} --target ${target} --fail-on race ${ARGN})
  add_custom_target(circ-${target} COMMAND ${command} VERBATIM USES_TERMINAL)
  add_test(NAME circ-${target} COMMAND ${command})
endfunction()
