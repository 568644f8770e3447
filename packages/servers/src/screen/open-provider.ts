/** Which way of taking pictures this machine has, or what to install so that it has one. */

import type { ScreenSettings } from './options.ts'
import { createTools, type ScreenProvider } from './provider.ts'

/** A text says why there is none. */
export async function openProvider(settings: ScreenSettings): Promise<ScreenProvider | string> {
  const tools = createTools(settings)
  switch (process.platform) {
    case 'darwin':
      return (await import('./macos.ts')).openMacos(tools)
    case 'win32':
      return (await import('./windows.ts')).openWindows(tools)
    default: {
      if (tools.env.WAYLAND_DISPLAY !== undefined) return (await import('./wayland.ts')).openWayland(tools)
      if (tools.env.DISPLAY !== undefined) return (await import('./x11.ts')).openX11(tools)
      return 'There is no screen: neither WAYLAND_DISPLAY nor DISPLAY is set. Start the server in the desktop session, or name one with the option "display".'
    }
  }
}
