/** Finds the user's own Chromium, Chrome or Edge: this package brings none. */

import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '@portico/sdk/server'
import { findProgram } from '../machine/program.ts'

const ON_PATH = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'brave-browser',
]

const ON_MAC = ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Brave Browser'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
)

const ON_WINDOWS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
  'Chromium\\Application\\chrome.exe',
]

export async function findBrowser(given: string | undefined): Promise<string> {
  const places = given === undefined ? await usualPlaces() : [given]
  for (const place of places) if (await isProgram(place)) return place
  throw new ToolError(
    given === undefined
      ? 'No browser was found on this machine. Install Chromium or Chrome, or name one with the option "executable".'
      : 'There is no program where the option "executable" says.',
  )
}

async function usualPlaces(): Promise<string[]> {
  if (process.platform === 'darwin') return ON_MAC
  if (process.platform === 'win32') {
    const { ProgramFiles, LOCALAPPDATA } = process.env
    const bases = [ProgramFiles, process.env['ProgramFiles(x86)'], LOCALAPPDATA].filter((base) => base !== undefined)
    return bases.flatMap((base) => ON_WINDOWS.map((path) => join(base, path)))
  }
  const found = await Promise.all(ON_PATH.map((name) => findProgram(name)))
  return found.filter((path) => path !== undefined)
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
