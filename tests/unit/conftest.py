from hypothesis import settings

# Hundreds of properties are tried here, and most of what they find they find at once.
settings.register_profile("unit", settings.get_profile("pcaimage"), max_examples=40)
settings.load_profile("unit")
