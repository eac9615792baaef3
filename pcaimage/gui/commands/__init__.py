"""The commands of menus, keys and the toolbar."""
