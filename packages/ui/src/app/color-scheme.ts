/** Light or dark: what the system says until the user chooses, then what they chose, kept in this browser. */

import { localStorageColorSchemeManager } from '@mantine/core'

export const colorScheme = localStorageColorSchemeManager({ key: 'portico-color-scheme' })

// Before anything is drawn, so that a dark page never flashes white.
const chosen = colorScheme.get('auto')
const isDark = chosen === 'auto' ? window.matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark'
document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light')
