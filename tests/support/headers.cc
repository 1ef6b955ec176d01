// Stands for the tests whose headers are compiled ahead (tests/CMakeLists.txt).
int main() {}
