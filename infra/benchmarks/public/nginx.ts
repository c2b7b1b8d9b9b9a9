/** Yardstick: nginx with one worker and the same bytes on disk. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../local/ports.ts'
import { processorMicros } from '../measure/processes.ts'
import { waitForResponse } from '../measure/wait-for-response.ts'
import { type RecordedResponse, responseNames } from './recorded-responses.ts'

const PROGRAM = process.env.NGINX ?? '/usr/sbin/nginx'

export const hasNginx = (): boolean => existsSync(PROGRAM)

export interface Nginx {
  origin: string
  cpuMicros(): Promise<number>
  stop(): void
}

/** Starts nginx with the files of `folder`. */
export const startNginx = async (folder: string): Promise<Nginx> => {
  const nginxFolder = join(folder, 'nginx')
  mkdirSync(nginxFolder)
  const port = await freePort()
  const configuration = join(nginxFolder, 'nginx.conf')
  writeFileSync(configuration, configurationOf(folder, nginxFolder, port))
  const child = spawn(
    PROGRAM,
    ['-p', nginxFolder, '-c', configuration, '-e', join(nginxFolder, 'error.log')],
    {
      stdio: 'ignore',
    },
  )
  const origin = `http://127.0.0.1:${port}`
  await waitForResponse(`${origin}/${responseNames[0]}`)
  return {
    origin,
    cpuMicros: async () => processorMicros([child.pid ?? 0]),
    stop: () => child.kill(),
  }
}

/** Runs without a master process, so that one pid has all processor time. */
const configurationOf = (folder: string, nginxFolder: string, port: number): string => {
  const recorded = JSON.parse(readFileSync(join(folder, 'responses.json'), 'utf8')) as Record<
    string,
    RecordedResponse
  >
  const locations = responseNames.map((name) => {
    const { headers = {} } = recorded[name] ?? {}
    const { 'content-type': type = '', etag: _etag, ...others } = headers
    const lines = Object.entries(others).map(([key, value]) => `add_header ${key} "${value}";`)
    return `location = /${name} { root "${folder}"; types {} default_type "${type}"; ${lines.join(' ')} }`
  })
  return `daemon off; master_process off; worker_processes 1; pid "${nginxFolder}/pid";
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; open_file_cache max=100; etag on;
  keepalive_requests 1000000000;
  client_body_temp_path "${nginxFolder}/body"; proxy_temp_path "${nginxFolder}/proxy";
  fastcgi_temp_path "${nginxFolder}/fastcgi"; uwsgi_temp_path "${nginxFolder}/uwsgi"; scgi_temp_path "${nginxFolder}/scgi";
  server { listen 127.0.0.1:${port}; ${locations.join('\n    ')} }
}
`
}
