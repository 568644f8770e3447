/** `@portico/sdk/skills`: the skills extension, for servers that have skills and clients that load them. */

export { LoadedSkill, type SkillSource, Skills } from '../client/features/skills.ts'
export { SKILL_LIMITS, SKILLS_EXTENSION, type SkillEntry, type SkillFile } from '../protocol/skills/skills.ts'
export { parseFrontmatter } from '../protocol/skills/skills-frontmatter.ts'
export { type SkillRecord, type SkillsOptions, skills } from '../server/skills/skills.ts'
export { readSkillFolder } from '../server/skills/skills-folder.ts'
