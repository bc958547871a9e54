/** The page's script and style. `npm run build` makes them in `dist/`; code that runs from source reads them there, too. */
import { fileURLToPath } from 'node:url';
import { createLocalStorage } from '../storage/local/local-storage.js';

const ASSETS = fileURLToPath(new URL('../../dist/report/assets', import.meta.url));

export async function pageAssets(): Promise<{ readonly script: string; readonly style: string }> {
  const storage = createLocalStorage({ directory: ASSETS });
  try {
    const [script, style] = await Promise.all([storage.get('page.js'), storage.get('style.css')]);
    return { script: Buffer.from(script).toString(), style: Buffer.from(style).toString() };
  } finally {
    await storage.close();
  }
}
