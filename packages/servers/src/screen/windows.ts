/** Pictures of a Windows desktop, with PowerShell. The scripts are fixed text; what varies comes in variables, as digits. */

import { join } from 'node:path'
import { ask, askFile, type ScreenProvider, type Tools, toPicture, type Window } from './provider.ts'

const START = "$ErrorActionPreference = 'Stop'; Add-Type -AssemblyName System.Windows.Forms, System.Drawing;"

const DISPLAYS = `${START} ConvertTo-Json @([System.Windows.Forms.Screen]::AllScreens | ForEach-Object { $_.DeviceName })`

const WINDOWS = `${START} ConvertTo-Json @(Get-Process | Where-Object { $_.MainWindowHandle -ne 0 } | ForEach-Object { @{ id = [string]$_.MainWindowHandle; title = $_.MainWindowTitle } })`

const CAPTURE = `${START}
Add-Type 'using System; using System.Runtime.InteropServices; public struct Box { public int Left, Top, Right, Bottom; } public static class Native { [DllImport("user32.dll")] public static extern bool GetWindowRect(IntPtr window, out Box box); [DllImport("user32.dll")] public static extern bool SetProcessDPIAware(); }'
[void][Native]::SetProcessDPIAware()
if ($env:PORTICO_KIND -eq 'window') {
  $box = New-Object Box
  if (-not [Native]::GetWindowRect([IntPtr][long]$env:PORTICO_TARGET, [ref]$box)) { throw 'There is no such window' }
  $area = New-Object System.Drawing.Rectangle $box.Left, $box.Top, ($box.Right - $box.Left), ($box.Bottom - $box.Top)
} else {
  $area = [System.Windows.Forms.Screen]::AllScreens[[int]$env:PORTICO_TARGET].Bounds
}
$picture = New-Object System.Drawing.Bitmap $area.Width, $area.Height
[System.Drawing.Graphics]::FromImage($picture).CopyFromScreen($area.Location, [System.Drawing.Point]::Empty, $area.Size)
$picture.Save($env:PORTICO_FILE, [System.Drawing.Imaging.ImageFormat]::Png)`

export async function openWindows(tools: Tools): Promise<ScreenProvider> {
  const root = process.env.SystemRoot ?? 'C:\\Windows'
  const powershell = join(root, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe')
  const withScript = (script: string) => ['-NoProfile', '-NonInteractive', '-Sta', '-Command', script]
  const list = async (script: string, signal?: AbortSignal): Promise<unknown[]> => {
    try {
      const listed: unknown = JSON.parse(String(await ask(tools, powershell, withScript(script), { signal })))
      return Array.isArray(listed) ? listed : [listed]
    } catch {
      return []
    }
  }
  return {
    name: 'Windows (PowerShell)',
    async displays(signal) {
      const names = await list(DISPLAYS, signal)
      return (names.length === 0 ? ['Screen'] : names).map((name, number) => ({ number, name: String(name) }))
    },
    windows: async (signal) => (await list(WINDOWS, signal)).filter(isWindow).slice(0, 200),
    // The script itself looks for it.
    hasWindow: () => Promise.resolve(true),
    async capture(target, signal) {
      const which = target.kind === 'window' ? target.id : String(target.number)
      return toPicture(
        await askFile(tools, powershell, () => withScript(CAPTURE), {
          signal,
          env: (file) => ({
            PORTICO_KIND: target.kind,
            PORTICO_TARGET: which,
            PORTICO_FILE: file,
          }),
        }),
      )
    },
  }
}

function isWindow(one: unknown): one is Window {
  return typeof one === 'object' && one !== null && 'id' in one && /^\d+$/.test(String(one.id)) && 'title' in one
}
