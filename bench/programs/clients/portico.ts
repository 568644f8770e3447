/** Portico's client, default settings, pinned to one revision so that all clients do the same. */

import { connect } from '@portico/sdk/client'
import { announceCaller } from '../control.ts'
import { command, isModern, SUM, startHttp, transport } from './target.ts'

const target = transport === 'stdio' ? command : await startHttp()
const client = await connect(target, { versions: isModern ? '2026-07-28' : '2025-11-25' })
announceCaller(() => client.callTool(SUM.name, SUM.arguments))
