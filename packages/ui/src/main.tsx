/** The page begins here: styles, theme, the stream of events, the shell. */

import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import './app/global.css'

import { MantineProvider } from '@mantine/core'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { colorScheme } from './app/color-scheme.ts'
import { openEvents } from './app/data/events.ts'
import { Toasts } from './app/toasts.tsx'
import { Shell } from './shell/shell.tsx'
import { cssVariables, theme } from './theme.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no place for the workbench')

openEvents()
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      colorSchemeManager={colorScheme}
    >
      <Toasts />
      <Shell />
    </MantineProvider>
  </StrictMode>,
)
