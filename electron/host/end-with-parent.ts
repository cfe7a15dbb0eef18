/** Loaded before a program that `npm start` starts: ends it when the one who started it is gone, however that ended. */

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
