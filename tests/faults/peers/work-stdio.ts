/** The server of `portico faults --as-server`. */

import { serveStdio } from '@portico/sdk/stdio'
import { createWorkServer } from '@portico/sdk/testing/faults'

serveStdio(createWorkServer())
