/** The library, loaded without its notice about the runtime. Import it from here only: whoever loads it first hears it. */

import './runtime-notice.ts'

import Provider, { errors, interactionPolicy } from 'oidc-provider'

import { endNotice } from './runtime-notice.ts'

endNotice()

export { errors, interactionPolicy, Provider }
