/** Progress output of a start: one animated line on a terminal, one line per step elsewhere. */
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_INTERVAL_MS = 80

export interface Console {
  /** Shows the current step; a different text marks the previous step as done. */
  step(text: string, detail?: string): void
  /** Prints one line. */
  print(line: string): void
  /** Marks the last step as done. */
  end(): void
}

export function openConsole(output: NodeJS.WriteStream = process.stdout): Console {
  return output.isTTY ? terminalConsole(output) : plainConsole(output)
}

function plainConsole(output: NodeJS.WriteStream): Console {
  let current = ''
  return {
    step(text) {
      if (text !== current) output.write(`${text} …\n`)
      current = text
    },
    print: (line) => void output.write(`${line}\n`),
    end: () => {},
  }
}

function terminalConsole(output: NodeJS.WriteStream): Console {
  let current: { text: string; detail: string; since: number } | null = null
  let timer: NodeJS.Timeout | undefined
  let frame = 0

  const clear = () => output.write('\r\x1b[2K')
  const seconds = () => ((performance.now() - (current?.since ?? 0)) / 1000).toFixed(1)
  function draw(): void {
    if (!current) return
    frame = (frame + 1) % FRAMES.length
    const detail = current.detail && `: ${current.detail}`
    const line = `${FRAMES[frame]} ${current.text} (${seconds()} s)${detail}`
    clear()
    output.write(line.slice(0, output.columns || 80))
  }
  function end(): void {
    clearInterval(timer)
    if (!current) return
    clear()
    output.write(`✓ ${current.text} (${seconds()} s)\n`)
    current = null
  }
  return {
    step(text, detail = '') {
      if (current?.text === text) {
        current.detail = detail
        return
      }
      end()
      current = { text, detail, since: performance.now() }
      timer = setInterval(draw, FRAME_INTERVAL_MS)
      timer.unref()
      draw()
    },
    print(line) {
      if (current) clear()
      output.write(`${line}\n`)
      draw()
    },
    end,
  }
}
