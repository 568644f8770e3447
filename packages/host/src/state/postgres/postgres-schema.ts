/**
 * Tables and functions in a schema of their own. A guarded write is one function, so that it is one round trip: it takes a
 * lock for each key in one order, reads what there is now, and changes all or nothing. Rows that no store can have written
 * have `FOREIGN_VERSION`, and are nobody's lease. The functions have the number of their kind in their names: replicas of
 * another version use theirs meanwhile.
 */

import { FOREIGN_VERSION } from '@portico/sdk/state'

const OURS = `BETWEEN ${FOREIGN_VERSION} AND ${Number.MAX_SAFE_INTEGER}`

/** Of the lease of a key that is held now. */
export const HELD = `expires > clock_timestamp() AND isfinite(expires) AND epoch ${OURS}`

/** Whether everything is there. */
export function isPreparedSql(schema: string): string {
  return `SELECT to_regprocedure('${schema}.lease_2(text,text,bigint)') IS NOT NULL AS prepared`
}

/**
 * Makes whatever is missing; several processes may do so at once. The count begins at the clock (in microseconds), so that a
 * schema that takes the place of one that was lost gives no number a second time.
 */
export function prepareSql(schema: string): string {
  return `
BEGIN;
SELECT pg_advisory_xact_lock(hashtext('portico'), hashtext('${schema}'));
CREATE SCHEMA IF NOT EXISTS ${schema};
CREATE TABLE IF NOT EXISTS ${schema}.entries (
  key text COLLATE "C" PRIMARY KEY, value text NOT NULL, version bigint NOT NULL, expires timestamptz
);
CREATE INDEX IF NOT EXISTS entries_by_expiry ON ${schema}.entries (expires) WHERE expires IS NOT NULL;
CREATE TABLE IF NOT EXISTS ${schema}.leases (
  key text COLLATE "C" PRIMARY KEY, owner text NOT NULL, epoch bigint NOT NULL, expires timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS leases_by_expiry ON ${schema}.leases (expires);
CREATE SEQUENCE IF NOT EXISTS ${schema}.count START WITH ${Date.now() * 1000};
${writeFunction(schema)}
${leaseFunction(schema)}
COMMIT`
}

function writeFunction(schema: string): string {
  return `
CREATE OR REPLACE FUNCTION ${schema}.write_2(keys text[], texts text[], versions bigint[], ttls bigint[])
RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  given bigint[] := '{}';
  now_version bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('${schema}.entries'), number)
    FROM (SELECT DISTINCT hashtext(key) AS number FROM unnest(keys) AS key ORDER BY 1) AS numbers;
  FOR i IN 1 .. cardinality(keys) LOOP
    CONTINUE WHEN versions[i] IS NULL;
    SELECT CASE WHEN version ${OURS} THEN version ELSE ${FOREIGN_VERSION} END INTO now_version FROM ${schema}.entries
      WHERE key = keys[i] AND (expires IS NULL OR expires > clock_timestamp());
    IF coalesce(now_version, 0) <> versions[i] THEN RETURN NULL; END IF;
  END LOOP;
  FOR i IN 1 .. cardinality(keys) LOOP
    IF texts[i] IS NULL THEN
      DELETE FROM ${schema}.entries WHERE key = keys[i];
      given := given || 0::bigint;
    ELSE
      given := given || nextval('${schema}.count');
      INSERT INTO ${schema}.entries (key, value, version, expires)
        VALUES (keys[i], texts[i], given[i], clock_timestamp() + ttls[i] * interval '1 millisecond')
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version, expires = excluded.expires;
    END IF;
  END LOOP;
  RETURN given;
END $$;`
}

/** The number is taken once the key is locked, so that it is greater than that of every lease before. */
function leaseFunction(schema: string): string {
  return `
CREATE OR REPLACE FUNCTION ${schema}.lease_2(wanted text, holder text, ms bigint)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  given bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('${schema}.leases'), hashtext(wanted));
  PERFORM 1 FROM ${schema}.leases WHERE key = wanted AND ${HELD};
  IF FOUND THEN RETURN NULL; END IF;
  given := nextval('${schema}.count');
  INSERT INTO ${schema}.leases (key, owner, epoch, expires)
    VALUES (wanted, holder, given, clock_timestamp() + ms * interval '1 millisecond')
    ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, epoch = excluded.epoch, expires = excluded.expires;
  RETURN given;
END $$;`
}
