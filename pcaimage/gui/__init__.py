"""The desktop application; the only part of pcaimage that imports Qt or pyqtgraph."""
