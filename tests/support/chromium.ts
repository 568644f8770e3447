/** The system's own browser, for the labs that need a real one. Nothing is installed here. */

import { existsSync } from 'node:fs'

export const NO_CHROMIUM = 'there is no Chromium (apt-get install chromium, or set CHROMIUM to its path)'

/** The one that is named, or the system's. */
export function findChromium(): string | undefined {
  const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  return places.find((place) => place !== undefined && existsSync(place))
}
