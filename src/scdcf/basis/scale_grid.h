// The truncated, discretised scale axis (Section 5.1): N_s widths in geometric progression.
#pragma once

namespace scdcf::basis {

/// Filters at scale index s are width(s) = finest_width * 2^(s*step) pixels wide; index 0 is the finest, the paper's
/// alpha = -T, and neighbouring indices differ by `step` octaves in alpha.
///
///   scdcf::ScaleGrid grid(5, 0.25, 5.0);   // five scales over one octave, 5 to 10 pixels wide
class ScaleGrid {
 public:
  ScaleGrid(int count, double step, double finest_width);
  /// The grid whose coarsest filter is `coarsest_width` wide.
  static ScaleGrid ending_at(int count, double step, double coarsest_width);

  int count() const { return count_; }
  double step() const { return step_; }
  double finest_width() const { return finest_width_; }
  double width(int scale) const;
  /// The length of the interval, 2T octaves.
  double octaves() const { return (count_ - 1) * step_; }
  bool operator==(const ScaleGrid& other) const {
    return count_ == other.count_ && step_ == other.step_ && finest_width_ == other.finest_width_;
  }

 private:
  int count_;
  double step_;
  double finest_width_;
};

}  // namespace scdcf::basis
