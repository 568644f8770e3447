/** The key that is held for shortcuts, by the name that is printed on it. */
export const MOD = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'
