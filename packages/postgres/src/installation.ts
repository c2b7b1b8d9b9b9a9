/**
 * Identity of an installation: an id in its database, which a dump contains, and the mark that it
 * leaves on what it creates on shared servers.
 */
import type postgres from 'postgres'

/** Id of the installation that owns the database. */
export const readInstallationId = async (
  sql: postgres.Sql | postgres.ReservedSql,
): Promise<string | null> => {
  const [row] = await sql<{ id: string }[]>`SELECT id FROM status_page.installation`
  return row?.id ?? null
}

/** Comment of a database role, and description of a stream. */
export const installationMark = (installationId: string): string =>
  `status-page installation ${installationId}`
