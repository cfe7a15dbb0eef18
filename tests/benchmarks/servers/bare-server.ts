/** The baseline: a Fastify server with one POST route that receives and returns a little JSON and does nothing else. */
import { fastify } from 'fastify';
import { listen } from './listen.ts';

const app = fastify();
app.post('/', async () => ({ success: true }));
await listen(app);
