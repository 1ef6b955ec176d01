// Colours as people see them who have all cones, none for long waves or none for middle ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flare/report/plot.h"

namespace flare::report {
namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

Triple Product(const Matrix& matrix, const Triple& v) {
  Triple product{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) product[i] += matrix[i][j] * v[j];
  }
  return product;
}

// #rrggbb as light, without the screen's exponent (IEC 61966-2-1).
Triple Linear(std::string_view color) {
  Triple light{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(std::string(color.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    light[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return light;
}

// OKLab (B. Ottosson, 2020), a space in which equal distances look about equal; times 100.
Triple Seen(const Triple& light) {
  static const Matrix cones = {{{0.4122214708, 0.5363325363, 0.0514459929},
                                {0.2119034982, 0.6806995451, 0.1073969566},
                                {0.0883024619, 0.2817188376, 0.6299787005}}};
  static const Matrix opponents = {{{0.2104542553, 0.7936177850, -0.0040720468},
                                    {1.9779984951, -2.4285922050, 0.4505937099},
                                    {0.0259040371, 0.7827717662, -0.8086757660}}};
  Triple response = Product(cones, light);
  for (double& r : response) r = std::cbrt(r);
  Triple seen = Product(opponents, response);
  for (double& s : seen) s *= 100;
  return seen;
}

// G. Machado, M. Oliveira and L. Fernandes (2009), "A Physiologically-based Model for Simulation of
// Color Vision Deficiency", at severity 1.
const Matrix kAllCones = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
const Matrix kProtanopia = {{{0.152286, 1.052583, -0.204868},
                             {0.114503, 0.786281, 0.099216},
                             {-0.003882, -0.048116, 1.051998}}};
const Matrix kDeuteranopia = {{{0.367322, 0.860646, -0.227968},
                               {0.280085, 0.672501, 0.047413},
                               {-0.011820, 0.042940, 0.968881}}};

double Apart(std::string_view a, std::string_view b, const Matrix& eyes) {
  const auto see = [&](std::string_view color) {
    Triple light = Product(eyes, Linear(color));
    for (double& part : light) part = std::clamp(part, 0.0, 1.0);
    return Seen(light);
  };
  const Triple x = see(a), y = see(b);
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

double Luminance(std::string_view color) {
  const Triple light = Linear(color);
  return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
}

double Contrast(std::string_view a, std::string_view b) {
  const double x = Luminance(a) + 0.05, y = Luminance(b) + 0.05;
  return std::max(x, y) / std::min(x, y);
}

// One just sees a distance of about 2.
TEST(Palette, ColoursAreToldApartByEverybody) {
  EXPECT_NEAR(Apart("#000000", "#ffffff", kAllCones), 100, 0.01);
  EXPECT_NEAR(Apart("#216eb2", "#216eb2", kProtanopia), 0, 1e-9);
  // What these eyes mix up, seen through the simulation.
  EXPECT_LT(Apart("#d1495b", "#6d7a5c", kDeuteranopia), Apart("#d1495b", "#6d7a5c", kAllCones) / 2);
  for (const auto& [colors, screen] :
       {std::pair{kColorsOnWhite, "#ffffff"}, std::pair{kColorsOnBlack, "#1b1f25"}}) {
    for (std::size_t i = 0; i < kColors; ++i) {
      EXPECT_GE(Contrast(colors[i], screen), 2.2) << colors[i] << " on " << screen;
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_GE(Apart(colors[i], colors[j], kAllCones), 10) << colors[i] << " " << colors[j];
        for (const Matrix& eyes : {kProtanopia, kDeuteranopia}) {
          // Most figures have few variants: the first colours are furthest apart.
          EXPECT_GE(Apart(colors[i], colors[j], eyes), i < 4 ? 11.5 : 6.5)
              << colors[i] << " " << colors[j] << " on " << screen;
        }
      }
    }
  }
}

TEST(Palette, LooksDifferLongAfterColoursRepeat) {
  std::set<std::string> looks;
  for (std::size_t i = 0; i < 48; ++i) {
    const Look look = LookAt(i);
    looks.insert(look.color + Name(look.dash) + Name(look.mark));
  }
  EXPECT_EQ(looks.size(), 48u);
}

TEST(Palette, AnArchitectureKeepsItsLook) {
  const auto few = LooksOf({"lstm", "mamba"});
  const auto many = LooksOf({"mine", "transformer", "lstm", "lstm,layers=2", "mamba"});
  for (const char* variant : {"lstm", "mamba"}) {
    EXPECT_EQ(few.at(variant).color, many.at(variant).color);
    EXPECT_EQ(few.at(variant).mark, many.at(variant).mark);
  }
  std::set<std::string> colors;
  for (const auto& [variant, look] : many) colors.insert(look.color);
  EXPECT_EQ(colors.size(), many.size());
}

}  // namespace
}  // namespace flare::report
