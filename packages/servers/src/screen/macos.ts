/** Pictures of a Mac's screens and windows, with `screencapture`. The system asks its user once for the permission. */

import { ask, askFile, type ScreenProvider, type Tools, toPicture, type Window } from './provider.ts'

/** Fixed text: asks the window server which windows are on the screen. */
const WINDOWS = `
ObjC.import('CoreGraphics')
const list = ObjC.deepUnwrap($.CGWindowListCopyWindowInfo($.kCGWindowListOptionOnScreenOnly | $.kCGWindowListExcludeDesktopElements, 0))
JSON.stringify((list || []).filter((w) => w.kCGWindowLayer === 0).map((w) => ({ id: String(w.kCGWindowNumber), title: [w.kCGWindowOwnerName, w.kCGWindowName].filter(Boolean).join(': ') })))
`
const DISPLAYS = `ObjC.import('AppKit'); String($.NSScreen.screens.count)`
const SCRIPT = '/usr/bin/osascript'

export async function openMacos(tools: Tools): Promise<ScreenProvider> {
  return {
    name: 'macOS (screencapture)',
    async displays(signal) {
      const count = Number(
        await ask(tools, SCRIPT, ['-l', 'JavaScript', '-e', DISPLAYS], { signal }).then(String, () => '1'),
      )
      return Array.from({ length: Math.min(Math.max(count || 1, 1), 16) }, (_, number) => ({
        number,
        name: `Screen ${number + 1}`,
      }))
    },
    async windows(signal) {
      try {
        const listed: unknown = JSON.parse(
          String(await ask(tools, SCRIPT, ['-l', 'JavaScript', '-e', WINDOWS], { signal })),
        )
        return (Array.isArray(listed) ? listed : []).filter(isWindow).slice(0, 200)
      } catch {
        return []
      }
    },
    // The program itself says so at once.
    hasWindow: () => Promise.resolve(true),
    async capture(target, signal) {
      const which = target.kind === 'window' ? ['-o', '-l', target.id] : ['-D', String(target.number + 1)]
      const args = (file: string) => ['-x', '-t', 'png', ...which, file]
      return toPicture(await askFile(tools, '/usr/sbin/screencapture', args, { signal }))
    },
  }
}

function isWindow(one: unknown): one is Window {
  return typeof one === 'object' && one !== null && 'id' in one && /^\d+$/.test(String(one.id)) && 'title' in one
}
