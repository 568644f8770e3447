/** Everything that is fuzzed. */

import type { Target } from './target.ts'
import { eras } from './targets/eras.ts'
import { events } from './targets/events.ts'
import { gateway } from './targets/gateway.ts'
import { http } from './targets/http.ts'
import { kept } from './targets/kept.ts'
import { lines } from './targets/lines.ts'
import { messages } from './targets/messages.ts'
import { openapi } from './targets/openapi.ts'
import { recordings } from './targets/recordings.ts'
import { schemas } from './targets/schemas.ts'
import { templates } from './targets/templates.ts'
import { texts } from './targets/texts.ts'

export const TARGETS: readonly Target[] = [
  messages,
  lines,
  events,
  http,
  templates,
  schemas,
  ...texts,
  openapi,
  recordings,
  kept,
  gateway,
  eras,
]
