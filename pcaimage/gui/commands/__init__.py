"""The commands of menus, shortcuts and the toolbar."""
