#include "Web.h"
