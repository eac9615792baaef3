# brew install --build-from-source ./packaging/pcaimage.rb, beside dist/ as `make dist ARGS=archives` makes it.
class Pcaimage < Formula
  include Language::Python::Virtualenv

  desc "Compress images by principal component analysis"
  url "file://#{File.expand_path("../dist/pcaimage-1.0.0.tar.gz", __dir__)}"
  license "MIT"

  depends_on "python@3.13"

  def install
    venv = virtualenv_create(libexec, "python3.13")
    system libexec/"bin/python", "-m", "ensurepip"
    system libexec/"bin/python", "-m", "pip", "install", buildpath
    bin.install_symlink libexec/"bin/pcaimage"
  end

  test do
    (testpath/"table.csv").write "1,2\n3,5\n4,4\n"
    assert_match "component", shell_output("#{bin}/pcaimage table table.csv")
    system bin/"pcaimage", "--version"
  end
end
