/** The last gate before a terminal: of the texts that a command prints, nothing but our own colours steers it. */
import { withColours } from './output/paint.js';
import type { Terminal, TextOutput } from './terminal.js';
import { visible } from './output/visible.js';

/** Texts are made visible whatever they hold. Bytes are data, or made for a terminal by whoever writes them: they pass. */
export function harmlessTerminal(terminal: Terminal): Terminal {
  const { stdout, stderr } = terminal;
  return { ...terminal, stdout: harmless(stdout), stderr: harmless(stderr) };
}

/** An output that passes texts on as bytes, for what moves a cursor on purpose. */
export function asBytes(output: TextOutput): TextOutput {
  return withWrite(output, (data) => output.write(Buffer.from(data)));
}

/** The same stream, also to whoever waits for it to drain, but for how it is written to. */
export function withWrite(
  output: TextOutput,
  write: (data: string | Uint8Array) => unknown,
): TextOutput {
  return new Proxy(output, {
    get(target, key) {
      if (key === 'write') return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

function harmless(output: TextOutput): TextOutput {
  return withWrite(output, (data) =>
    output.write(typeof data === 'string' ? withColours(visible(data)) : data),
  );
}
