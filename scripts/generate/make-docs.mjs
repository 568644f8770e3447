/** `node scripts/generate/make-docs.mjs`: writes every page of the docs that is made from something else. */

import { repositoryRoot } from '../report.mjs'
import { writePages } from './make.mjs'
import { makeFaults } from './make-faults.mjs'
import { makeFounding } from './make-founding.mjs'
import { makeLlms } from './make-llms.mjs'
import { makeReference } from './make-reference.mjs'
import { makeSecurity } from './make-security.mjs'
import { makeTaskRequirements } from './make-task-requirements.mjs'

const all = [makeReference, makeSecurity, makeTaskRequirements, makeFounding, makeFaults, makeLlms]
for (const make of all) writePages(make(repositoryRoot))
