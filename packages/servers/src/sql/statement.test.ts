import { describe, expect, it } from 'vitest'
import type { Dialect } from './engine.ts'
import { inspectStatement, requireReading, requireWritable } from './statement.ts'

describe('reading a statement’s shape', () => {
  it.each<[Dialect, string, string]>([
    ['sqlite', 'select 1', 'SELECT'],
    ['sqlite', '/* a */ -- b\n  with x as (select 1) select * from x', 'WITH'],
    ['sqlite', '\uFEFFselect 1', 'SELECT'],
    ['postgresql', '((select 1) union (select 2))', 'SELECT'],
    ['postgresql', '/* a /* nested */ delete */ select 1', 'SELECT'],
    ['mysql', '# note\nselect 1', 'SELECT'],
    ['sqlite', '# no comment here\nselect 1', ''],
    ['sqlite', '', ''],
    ['mysql', '--select 1', ''],
  ])('%s: %s begins with %s', (dialect, sql, keyword) => {
    expect(inspectStatement(sql, dialect).keyword).toBe(keyword)
  })

  it.each<[Dialect, string, boolean]>([
    ['sqlite', 'select 1;', false],
    ['sqlite', 'select 1; -- done', false],
    ['sqlite', "select ';drop'", false],
    ['sqlite', 'select [a;b] from t', false],
    ['sqlite', 'select 1; drop table t', true],
    ['sqlite', 'select 1;/**/drop table t', true],
    ['sqlite', "select '''';drop table t", true],
    ['postgresql', 'select $a$;drop$a$', false],
    ['postgresql', "select E'\\';'", false],
    ['postgresql', "select '\\';drop table t", true],
    ['mysql', "select '\\';drop'", false],
    ['mysql', "select 1; 'x'", true],
  ])('%s: %s holds several: %s', (dialect, sql, several) => {
    expect(inspectStatement(sql, dialect).several).toBe(several)
  })

  it.each<[Dialect, string]>([
    ['sqlite', 'delete from t'],
    ['sqlite', '/* select */ delete from t'],
    ['sqlite', '-- select\ndelete from t'],
    ['sqlite', "attach 'other.db' as other"],
    ['sqlite', "vacuum into 'copy.db'"],
    ['sqlite', 'pragma writable_schema = 1'],
    ['sqlite', 'explain delete from t'],
    ['sqlite', 'select 1; delete from t'],
    ['postgresql', "copy (select 1) to program 'id'"],
    ['postgresql', 'do $$ begin end $$'],
    ['postgresql', 'set transaction read write'],
    ['mysql', "select 1 into outfile '/tmp/x'"],
    ['mysql', "select 1 into/**/dumpfile '/tmp/x'"],
    ['mysql', "select load_file('/etc/passwd')"],
    ['mysql', '/*!50000 delete from t */'],
    ['mysql', "select 1 /*! into outfile '/tmp/x' */"],
    ['mariadb', "select 1 /*M! into outfile '/tmp/x' */"],
    ['mariadb', 'set statement max_statement_time = 0 for select sleep(100)'],
    ['mariadb', 'handler t open'],
  ])('refuses to take for reading (sec-122), %s: %s', (dialect, sql) => {
    expect(() => requireReading(sql, dialect, false)).toThrow()
  })

  it.each<[Dialect, string]>([
    ['sqlite', "attach 'other.db' as other"],
    ['sqlite', 'pragma writable_schema = 1'],
    ['sqlite', "vacuum into 'copy.db'"],
    ['postgresql', "copy t to program 'id'"],
    ['mysql', "load data infile '/etc/passwd' into table t"],
    ['mysql', 'set global general_log = 1'],
    ['sqlite', 'commit'],
    ['sqlite', 'delete from t; delete from u'],
  ])('refuses what reaches beyond the database even for writing, %s: %s', (dialect, sql) => {
    expect(() => requireWritable(sql, dialect)).toThrow()
  })

  it('reads the longest statement in time that grows with its length', () => {
    const start = performance.now()
    for (const piece of ["'", '/*', '--', '"', '$', '(', "''", '\\']) {
      inspectStatement(piece.repeat(100_000 / piece.length), 'postgresql')
      inspectStatement(piece.repeat(100_000 / piece.length), 'mysql')
    }
    expect(performance.now() - start).toBeLessThan(15_000)
  })
})

it.each([
  ['mysql', 'SHOW TABLES'],
  ['mariadb', "show full columns from notes like 'a%'"],
  ['mariadb', '-- what there is\nSHOW CREATE TABLE notes;'],
] as const)('servers 24: SHOW is a question of %s: %s', (dialect, sql) => {
  expect(() => requireReading(sql, dialect, false)).not.toThrow()
})

describe('names that a question may not hold', () => {
  it.each<[Dialect, string]>([
    ['mariadb', "select `load_file`('/etc/passwd')"],
    ['mysql', "select `LOAD_FILE` ('/etc/passwd')"],
    ['mysql', 'select "load_file"(1)'],
    ['mariadb', 'show grants'],
    ['mysql', 'show create user'],
    ['postgresql', 'select pg_terminate_backend(1)'],
    ['postgresql', 'select "pg_terminate_backend"(1)'],
    ['postgresql', 'select PG_Terminate_Backend(1)'],
    ['postgresql', 'select 1 limit pg_catalog . pg_terminate_backend(1)::int'],
    ['postgresql', 'select U&"pg\\005fterminate\\005fbackend"(1)'],
    ['postgresql', 'select u&"d!0061t!+000061" UESCAPE \'!\''],
  ])('sec-236: %s: %s is refused (servers 3, servers 9, servers 20)', (dialect, sql) => {
    expect(() => requireReading(sql, dialect, false, new Set(['pg_terminate_backend']))).toThrow()
  })

  it('but a text may', () => {
    const sql = "select 'pg_terminate_backend(1)', $$pg_terminate_backend$$ -- pg_terminate_backend"
    expect(requireReading(sql, 'postgresql', false, new Set(['pg_terminate_backend']))).toBe(sql)
  })

  it('servers 22: a trigger of SQLite is one statement, and what follows it is another', () => {
    const trigger = 'create trigger a after insert on t begin delete from u; update t set x = 1; end'
    for (const sql of [trigger, `${trigger};`]) expect(() => requireWritable(sql, 'sqlite')).not.toThrow()
    expect(() => requireWritable(`${trigger}; drop table t`, 'sqlite')).toThrow('One statement')
  })
})
