# What is installed: the library, its public headers (each room installs its own), the package for find_package, the licence.
install(TARGETS scdcf EXPORT scdcfTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES scdcf.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/scdcf)
install(EXPORT scdcfTargets NAMESPACE scdcf:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/scdcf)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/scdcfConfig.cmake.in ${PROJECT_BINARY_DIR}/scdcfConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/scdcf)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/scdcfConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/scdcfConfig.cmake ${PROJECT_BINARY_DIR}/scdcfConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/find_torch.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/scdcf)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
