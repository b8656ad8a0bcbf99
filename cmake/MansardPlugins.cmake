# SPDX-License-Identifier: Apache-2.0
# A plug-in folder: every source file in it defines `register_<file stem>(<Registry>&)`, and the
# generated function `register_<registry>_plugins` calls them all. An explicit call list, unlike
# static constructors, survives the linker dropping unreferenced objects of a static library.
#
#   mansard_plugins(TARGET t NAMESPACE mansard::kernels REGISTRY KernelRegistry
#                   HEADER "kernels/kernel.h" FUNCTION register_kernel_plugins FILES a.cpp b.cu ...)
function(mansard_plugins)
  cmake_parse_arguments(P "" "TARGET;NAMESPACE;REGISTRY;HEADER;FUNCTION" "FILES" ${ARGN})
  set(declarations "")
  set(calls "")
  list(SORT P_FILES)
  foreach(file IN LISTS P_FILES)
    get_filename_component(stem ${file} NAME_WE)
    string(APPEND declarations "void register_${stem}(${P_REGISTRY}&);\n")
    string(APPEND calls "  register_${stem}(registry);\n")
  endforeach()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${P_FUNCTION}.cpp)
  file(CONFIGURE OUTPUT ${output} CONTENT
"// Generated from the contents of a plug-in folder; see cmake/MansardPlugins.cmake.
#include \"${P_HEADER}\"
namespace ${P_NAMESPACE} {
${declarations}
void ${P_FUNCTION}(${P_REGISTRY}& registry);
void ${P_FUNCTION}(${P_REGISTRY}& registry) {
${calls}}
}  // namespace ${P_NAMESPACE}
" @ONLY)
  target_sources(${P_TARGET} PRIVATE ${output})
endfunction()

# Text files as a C++ array: `const std::array<EmbeddedFile, N>` behind
#   std::span<const EmbeddedFile> <namespace>::<function>();
# with struct EmbeddedFile { string_view name, content; }.
# Used for schemas, rules, datasheets and the bundled report, so that the programs need no data folder.
function(mansard_embed)
  cmake_parse_arguments(E "" "TARGET;NAMESPACE;FUNCTION" "FILES" ${ARGN})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${E_FUNCTION}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAMESPACE=${E_NAMESPACE}
            -DFUNCTION=${E_FUNCTION} "-DFILES=${E_FILES}"
            -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${E_FILES} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
  target_sources(${E_TARGET} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # alike names, quick to compile
endfunction()
