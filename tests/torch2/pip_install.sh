#!/bin/sh
# `pip install .` as a researcher does it, from a copy of what it needs: pip_install.sh PYTHON SOURCE SCRATCH, where PYTHON has
# torch 2. The virtual environment is a new one. Its torch is a folder of links to that of PYTHON, so that it can be made to ask
# for CUDA; all builds share their objects.
set -eu
python=$1 source=$2 scratch=$3
fail() {
  echo "pip_install: $*" >&2
  exit 1
}
rm -rf "$scratch"
mkdir -p "$scratch/tree/build/lib"
(cd "$source" && cp -r CMakeLists.txt LICENSE CITATION.cff README.md cmake pyproject.toml python setup.py src "$scratch/tree")
rm -rf "$scratch"/tree/python/*.egg-info "$scratch/tree/python/scdcf/libscdcf.so"
echo "made for another torch" >"$scratch/tree/build/lib/libscdcf.so"
unset PYTHONPATH SCDCF_LIBRARY SCDCF_TORCH_PYTHON CMAKE_ARGS || true
export PIP_DISABLE_PIP_VERSION_CHECK=1

"$python" -m venv "$scratch/venv"
pip="$scratch/venv/bin/pip" site=$("$scratch/venv/bin/python" -c "import sysconfig; print(sysconfig.get_path('purelib'))")
there=$("$python" -c "import sysconfig; print(sysconfig.get_path('purelib'))")
cd "$scratch/tree"

# Without torch it is one line.
! "$pip" install . >"$scratch/log" 2>&1 || fail "installed without torch"
grep -q "^ *scdcf: got no torch in $scratch/venv/bin/python[0-9.]* (ModuleNotFoundError: No module named 'torch'), expected" "$scratch/log" ||
  fail "without torch it says: $(tail -n 20 "$scratch/log")"

mkdir "$site/torch" "$site/torch/lib"
for entry in "$there"/torch/* "$there"/torch/lib/*; do
  link="$site${entry#"$there"}"
  [ -e "$link" ] || ln -s "$entry" "$link"
done
rm "$site/torch/share"
cp -r "$there/torch/share" "$site/torch"
echo "$there" >"$site/rest_of_torch.pth"

# installed OPTIONS...: installs, looks at what was installed, and runs it.
installed() {
  "$pip" install --verbose "$@" . >"$scratch/log" 2>&1 || fail "pip install $*: $(tail -n 40 "$scratch/log")"
  runpath=$(readelf -d "$site/scdcf/libscdcf.so" | sed -n 's/.*RUNPATH.*\[\(.*\)\]/\1/p')
  [ "$runpath" = '$ORIGIN/../torch/lib' ] || fail "its library has the RUNPATH [$runpath], expected [\$ORIGIN/../torch/lib]"
  "$pip" show scdcf | grep -qx "License.*: BSD-3-Clause" || fail "it has no licence: $("$pip" show scdcf)"
  grep -q '^Requires-Dist: torch==' "$site"/scdcf-*.dist-info/METADATA || fail "it does not require its release of torch"
  (cd / && "$scratch/venv/bin/python" -c "
import sys, torch, scdcf
net = torch.nn.Sequential(scdcf.LiftingConv(1, 4, (3, 0.5, 4.0)), torch.nn.ReLU(), scdcf.JointConv(4, 5, (3, 0.5, 4.0)))
features = net(torch.randn(2, 1, 16, 12))
features.square().mean().backward()
assert features.shape == (2, 5, 3, 16, 12) and all(p.grad is not None for p in net.parameters())
assert scdcf.library == sys.argv[1] + '/scdcf/libscdcf.so', scdcf.library" "$site") || fail "pip install $*: import scdcf"
}

installed
others=$(ninja -C build-pip/torch-* -t deps | grep -E '/(nlohmann|CLI|libpng[0-9]*|curl|gtest|benchmark)/|/(png|jpeglib|zlib)\.h$' | sort -u)
[ -z "$others" ] || fail "the library includes headers of the program's packages: $others"

# Built again without isolation, with CMake and Ninja of pip, as its message asks, against a torch that asks for CUDA.
"$pip" uninstall --quiet --yes scdcf
"$pip" install --quiet cmake ninja
config="$site/torch/share/cmake/Caffe2/Caffe2Config.cmake"
sed -i 's/^if(0)$/if(ON)/; s/set(CAFFE2_USE_CUDA 0)/set(CAFFE2_USE_CUDA ON)/; s/if( AND NOT CAFFE2_USE_CUDA)/if(ON AND NOT CAFFE2_USE_CUDA)/' "$config"
grep -q "set(CAFFE2_USE_CUDA ON)" "$config" || fail "$config has changed its form"
touch "$site/torch/lib/libtorch_cuda.so"
export PATH="$scratch/venv/bin:$PATH"
[ ! -e /usr/local/cuda/include/cublas_v2.h ] || export CMAKE_ARGS=-DSCDCF_CUDA=OFF  # as if there were no toolkit
installed --no-build-isolation
grep -q "is a CUDA build; .*CPU operators alone" "$scratch/log" || fail "it does not say that it leaves CUDA out"
echo "pip_install: passed"
