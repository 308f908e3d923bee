// MediaWorker
