/** One thing that the doctor looks at. Each says what it found in one line, and what to do where something is wrong. */

import type { Host } from '@portico/host'
import type { ServerConfig } from '@portico/host/config'
import type { DoctorCheck } from '../api-types/api.ts'

export interface ExaminedServer {
  readonly host: Host
  readonly config: ServerConfig
  readonly env: { readonly [name: string]: string | undefined }
  readonly signal: AbortSignal
}

export type Examination = (examined: ExaminedServer) => Promise<DoctorCheck | readonly DoctorCheck[]>

export function ok(name: string, detail: string): DoctorCheck {
  return { name, status: 'ok', detail }
}

export function warning(name: string, detail: string, remedy?: string): DoctorCheck {
  return { name, status: 'warning', detail, ...(remedy !== undefined && { remedy }) }
}

export function failed(name: string, detail: string, remedy?: string): DoctorCheck {
  return { name, status: 'failed', detail, ...(remedy !== undefined && { remedy }) }
}

export function skipped(name: string, detail: string): DoctorCheck {
  return { name, status: 'skipped', detail }
}
