/** Escapes control characters in everything that a command prints, except for jobvault's own colours. */
import { visible } from '../../base/text/visible.js';
import { type Terminal, type TextOutput, withColours } from './terminal.js';

/** Escapes texts. Bytes pass unchanged: they are data, or terminal control written on purpose. */
export function harmlessTerminal(terminal: Terminal): Terminal {
  const { stdout, stderr } = terminal;
  return { ...terminal, stdout: harmless(stdout), stderr: harmless(stderr) };
}

/** An output that writes texts as bytes, for code that moves the cursor on purpose. */
export function asBytes(output: TextOutput): TextOutput {
  return withWrite(output, (data) => output.write(Buffer.from(data)));
}

/** The same stream with another `write`; all other members are those of the stream. */
function withWrite(output: TextOutput, write: (data: string | Uint8Array) => unknown): TextOutput {
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
